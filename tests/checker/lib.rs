//! Nothing: the worlds are in `checker/`, for the test and the example.
