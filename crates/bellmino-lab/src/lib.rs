//! Players, arena, statistics.
