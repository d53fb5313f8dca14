//! A middle game and an end game weight in one integer.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A middle game and an end game weight in one integer: one addition adds both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tapered(i32);

impl Tapered {
    /// From centipawns in the middle game and in the end game, each within ±15,000.
    #[inline]
    pub const fn new(middle: i32, end: i32) -> Self {
        Tapered((end << 16) + middle)
    }

    /// The middle game half.
    #[inline]
    pub const fn middle(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The end game half; the borrow of a negative lower half is given back by the rounding.
    #[inline]
    pub const fn end(self) -> i32 {
        (self.0 + 0x8000) >> 16
    }
}

macro_rules! forward {
    ($($trait:ident $method:ident;)*) => {$(
        impl $trait for Tapered {
            type Output = Tapered;
            #[inline]
            fn $method(self, other: Tapered) -> Tapered {
                Tapered(self.0.$method(other.0))
            }
        }
    )*};
}
forward! { Add add; Sub sub; }

impl AddAssign for Tapered {
    #[inline]
    fn add_assign(&mut self, other: Tapered) {
        self.0 += other.0;
    }
}

impl SubAssign for Tapered {
    #[inline]
    fn sub_assign(&mut self, other: Tapered) {
        self.0 -= other.0;
    }
}

impl Neg for Tapered {
    type Output = Tapered;
    #[inline]
    fn neg(self) -> Tapered {
        Tapered(-self.0)
    }
}

impl Mul<i32> for Tapered {
    type Output = Tapered;
    #[inline]
    fn mul(self, factor: i32) -> Tapered {
        Tapered(self.0 * factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_survive_arithmetic() {
        for (a, b, c, d) in [(5, -7, -300, 400), (-1, -1, 1, 1), (-900, 900, 900, -901), (0, -1, -1, 0)] {
            let sum = Tapered::new(a, b) + Tapered::new(c, d);
            assert_eq!((sum.middle(), sum.end()), (a + c, b + d));
            let scaled = Tapered::new(a, b) * -3;
            assert_eq!((scaled.middle(), scaled.end()), (-3 * a, -3 * b));
        }
    }
}
