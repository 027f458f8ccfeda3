//! Exact solutions of small stacking games.
