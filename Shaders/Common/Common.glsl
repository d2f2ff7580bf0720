// Common
