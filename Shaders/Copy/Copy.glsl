// Copy
