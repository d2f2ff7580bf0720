// vertex: stands at the head of every vertex function. Common/clip_space.vert is its end.
//
// gl_InstanceID counts from 0 whatever the first instance is; Metal's instance_id does not.
uniform int safelight_baseInstance;

#define instanceID (gl_InstanceID + safelight_baseInstance)
#define main safelight_vertexFunction
