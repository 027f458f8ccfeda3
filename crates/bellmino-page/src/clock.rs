//! The clock of a game that is played by time: the host's time turned into the game's, which stands still in a pause.

/// A clock; all times are milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct GameClock(ClockHand);

#[derive(Clone, Copy, Debug)]
enum ClockHand {
    /// Stands still at this time of the game.
    Stopped(f64),
    /// Goes; the host's time at which the game's time was 0.
    Going(f64),
}

impl GameClock {
    /// A clock that stands at 0.
    pub fn new() -> GameClock {
        GameClock(ClockHand::Stopped(0.0))
    }

    /// The game's time at a time of the host; never below 0.
    pub fn game_time(&self, at: f64) -> f64 {
        match self.0 {
            ClockHand::Stopped(time) => time,
            ClockHand::Going(origin) => (at - origin).max(0.0),
        }
    }

    /// Lets the clock go from where it stands, at a time of the host.
    pub fn go(&mut self, at: f64) {
        if let ClockHand::Stopped(time) = self.0 {
            self.0 = ClockHand::Going(at - time);
        }
    }

    /// Stops the clock.
    pub fn stop(&mut self, at: f64) {
        self.0 = ClockHand::Stopped(self.game_time(at));
    }

    /// Puts the clock at a time of the game, where it stands still.
    pub fn set(&mut self, time: f64) {
        self.0 = ClockHand::Stopped(time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_do_not_count() {
        let mut clock = GameClock::new();
        assert_eq!(clock.game_time(700.0), 0.0);
        clock.go(100.0);
        assert_eq!(clock.game_time(600.0), 500.0);
        clock.stop(600.0);
        clock.stop(700.0);
        assert_eq!(clock.game_time(9000.0), 500.0);
        clock.go(9000.0);
        clock.go(9100.0);
        assert_eq!(clock.game_time(9250.0), 750.0);
        clock.set(20.0);
        clock.go(10_000.0);
        assert_eq!(clock.game_time(10_001.0), 21.0);
    }
}
