// Equalization
