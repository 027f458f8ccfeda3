//! How the wells of a search came about, without what led nowhere.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use bellmino_engine::placement::Placement;

use crate::hashing::Identity;

/// What came before a well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Footstep {
    pub parent: u32,
    pub layer: u32,
    pub placement: Placement,
    /// The well after it.
    pub hash: u64,
}

/// Nothing came before.
pub(super) const ROOT: u32 = u32::MAX;

/// The steps that led to all wells of a layer, by layer.
#[derive(Clone, Debug, Default)]
pub(super) struct Past {
    pub steps: Vec<Footstep>,
    /// So many steps are the only ones of their layers, from the first: all wells share them.
    shared: usize,
    /// Where a well has been, if anybody asks.
    places: Option<HashMap<u64, Vec<u32>, BuildHasherDefault<Identity>>>,
}

impl Past {
    /// A past of which may be asked what was seen, or not.
    pub fn new(remembers: bool) -> Past {
        Past { places: remembers.then(HashMap::default), ..Past::default() }
    }

    /// Adds a step, in order of layers; its place.
    pub fn push(&mut self, step: Footstep) -> u32 {
        let place = self.steps.len() as u32;
        if let Some(places) = &mut self.places {
            places.entry(step.hash).or_default().push(place);
        }
        self.steps.push(step);
        place
    }

    /// How often a well was there on the way to `end`, from a layer on.
    pub fn count(&self, end: u32, hash: u64, from: u32) -> u32 {
        let Some(found) = self.places.as_ref().and_then(|places| places.get(&hash)) else { return 0 };
        found
            .iter()
            .filter(|&&place| self.steps[place as usize].layer >= from && self.leads(place, end))
            .count() as u32
    }

    fn leads(&self, place: u32, mut end: u32) -> bool {
        if (place as usize) < self.shared {
            return true;
        }
        let layer = self.steps[place as usize].layer;
        while end != ROOT && self.steps[end as usize].layer > layer {
            end = self.steps[end as usize].parent;
        }
        end == place
    }

    /// The placements that led to a place.
    pub fn path(&self, mut end: u32) -> Vec<Placement> {
        let mut path = Vec::new();
        while end != ROOT {
            let step = &self.steps[end as usize];
            path.push(step.placement);
            end = step.parent;
        }
        path.reverse();
        path
    }

    /// Forgets what leads to none of these places, which are moved to where they are then.
    pub fn keep<'a>(&mut self, ends: impl Iterator<Item = &'a mut u32>) {
        let ends: Vec<&mut u32> = ends.collect();
        let mut places = vec![ROOT; self.steps.len()];
        for end in &ends {
            let mut at = **end;
            while at != ROOT && places[at as usize] == ROOT {
                places[at as usize] = 0;
                at = self.steps[at as usize].parent;
            }
        }
        let mut kept = 0;
        for place in 0..self.steps.len() {
            if places[place] != ROOT {
                let mut step = self.steps[place];
                if step.parent != ROOT {
                    step.parent = places[step.parent as usize];
                }
                places[place] = kept as u32;
                self.steps[kept] = step;
                kept += 1;
            }
        }
        self.steps.truncate(kept);
        for end in ends {
            if *end != ROOT {
                *end = places[*end as usize];
            }
        }
        self.share();
        if let Some(places) = &mut self.places {
            places.clear();
            for (place, step) in self.steps.iter().enumerate() {
                places.entry(step.hash).or_default().push(place as u32);
            }
        }
    }

    /// Counts the steps that all wells share.
    pub fn share(&mut self) {
        self.shared = self.steps.windows(2).take_while(|two| two[0].layer < two[1].layer).count();
    }
}
