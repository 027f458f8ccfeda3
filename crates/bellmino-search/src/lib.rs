//! Look-ahead for the guideline game.
