//! Features, linear controllers and their training.
