//! Ctrl-C during a call. Python notes the signal and waits for us to come back; so during calls of the main thread the handler is ours: it
//! tells the context to stop, and then does what Python would do.

use crate::library::Context;
use std::ffi::c_int;
use std::sync::atomic::{AtomicPtr, Ordering};

/// What runs on the main thread.
static RUNNING: AtomicPtr<Context> = AtomicPtr::new(std::ptr::null_mut());
/// The handler that was there before; only written while ours is not installed.
static BEFORE: AtomicPtr<libc::c_void> = AtomicPtr::new(std::ptr::null_mut());

/// While it lives, Ctrl-C stops what the context does.
pub(crate) struct Guard {
    before: libc::sigaction,
}

extern "C" fn handler(signal: c_int) {
    let context = RUNNING.load(Ordering::Acquire);
    if !context.is_null() {
        // SAFETY: it is there until the guard is dropped, which first clears the variable.
        unsafe { (*context).cancel(true) };
    }
    let before = BEFORE.load(Ordering::Acquire);
    if !before.is_null() {
        // SAFETY: the handler that was installed before is a function of this type.
        let before: extern "C" fn(c_int) = unsafe { std::mem::transmute(before) };
        before(signal);
    }
}

impl Guard {
    /// Called by the main thread. None if somebody other than Python handles the signal.
    pub(crate) fn new(context: &Context) -> Option<Guard> {
        // SAFETY: the structures are plain data; the handler does only what signal handlers may do.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(libc::SIGINT, std::ptr::null(), &raw mut before) != 0 {
                return None;
            }
            let plain = before.sa_flags & libc::SA_SIGINFO == 0;
            let ours = before.sa_sigaction == handler as *const () as usize;
            if !plain
                || ours
                || before.sa_sigaction == libc::SIG_DFL
                || before.sa_sigaction == libc::SIG_IGN
            {
                return None;
            }
            BEFORE.store(before.sa_sigaction as *mut libc::c_void, Ordering::Release);
            RUNNING.store(std::ptr::from_ref(context).cast_mut(), Ordering::Release);
            let mut own = before;
            own.sa_sigaction = handler as *const () as usize;
            libc::sigaction(libc::SIGINT, &raw const own, std::ptr::null_mut());
            Some(Guard { before })
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // SAFETY: what was there before is there again.
        unsafe { libc::sigaction(libc::SIGINT, &raw const self.before, std::ptr::null_mut()) };
        RUNNING.store(std::ptr::null_mut(), Ordering::Release);
    }
}
