// What a process knows of itself where there is no /proc, as in a sandbox. Linking this target suffices for
// `CommandLine.arguments` and for Dispatch.
#pragma once

// The path that the program was started by, as execve(2) took it; null if the system does not say.
const char *_Nullable cprocess_program(void);
