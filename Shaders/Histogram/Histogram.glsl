// Histogram
