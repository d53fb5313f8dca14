//! shuttle's locks in the shape of parking_lot's: no poisoning, and a condition variable that takes the guard by
//! reference. (shuttle's own wrapper of parking_lot has no condition variable.)

use std::ops::{Deref, DerefMut};
use std::sync::PoisonError;
use std::time::Duration;

pub use shuttle::sync::{RwLockReadGuard, atomic, mpsc};
pub use shuttle::thread;

/// A point at which the scheduler may let another thread go on.
pub fn step() {
    // Time does not pass in shuttle: to sleep is to let others run, or not.
    thread::sleep(Duration::ZERO);
}

/// parking_lot's `Mutex`.
#[derive(Default)]
pub struct Mutex<T>(shuttle::sync::Mutex<T>);

/// parking_lot's `MutexGuard`.
pub struct MutexGuard<'a, T> {
    mutex: &'a Mutex<T>,
    /// Absent only while the lock is given back, inside [`Condvar::wait`] and [`MutexGuard::unlocked`].
    inner: Option<shuttle::sync::MutexGuard<'a, T>>,
}

/// parking_lot's `Condvar`.
#[derive(Default)]
pub struct Condvar(shuttle::sync::Condvar);

impl<T> Mutex<T> {
    /// An unlocked mutex.
    pub fn new(value: T) -> Self {
        Mutex(shuttle::sync::Mutex::new(value))
    }

    /// Waits for the lock.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        let inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        MutexGuard { mutex: self, inner: Some(inner) }
    }
}

impl<T> MutexGuard<'_, T> {
    /// Gives the lock back while `f` runs.
    pub fn unlocked<U>(guard: &mut Self, f: impl FnOnce() -> U) -> U {
        guard.inner = None;
        let result = f();
        guard.inner = guard.mutex.lock().inner.take();
        result
    }
}

/// parking_lot's `RwLock`.
#[derive(Default)]
pub struct RwLock<T>(shuttle::sync::RwLock<T>);

impl<T> RwLock<T> {
    /// An unlocked one.
    pub fn new(value: T) -> Self {
        RwLock(shuttle::sync::RwLock::new(value))
    }

    /// Waits until no thread writes.
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no other thread reads or writes.
    pub fn write(&self) -> shuttle::sync::RwLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

const HELD: &str = "only the guard's own methods give the lock back, and they take it again";

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.inner.as_ref().expect(HELD)
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.inner.as_mut().expect(HELD)
    }
}

impl Condvar {
    /// No thread waits yet.
    pub fn new() -> Self {
        Condvar::default()
    }

    /// Releases the lock and waits in one step; then locks again.
    pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        // shuttle lets no other thread run between the caller's last look at things outside the lock and its waiting.
        step();
        let inner = guard.inner.take().expect(HELD);
        guard.inner = Some(self.0.wait(inner).unwrap_or_else(PoisonError::into_inner));
    }

    /// Wakes everyone who waits. The number of them, which parking_lot tells, is not known here.
    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}
