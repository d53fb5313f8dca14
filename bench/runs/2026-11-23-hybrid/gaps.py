"""Two processes that do nothing but look at the clock, one on each core: how long were they not running?"""
import multiprocessing, os, time
def look(core, seconds):
    os.sched_setaffinity(0, {core})
    gaps = []; last = time.perf_counter(); end = last + seconds
    while last < end:
        now = time.perf_counter()
        if now - last > 0.005: gaps.append(round((now - last) * 1e3))
        last = now
    print(f"core {core}: {len(gaps)} gaps above 5 ms in {seconds} s, longest {sorted(gaps)[-8:]} ms", flush=True)
if __name__ == "__main__":
    workers = [multiprocessing.Process(target=look, args=(core, 90)) for core in (0, 1)]
    [w.start() for w in workers]; [w.join() for w in workers]
