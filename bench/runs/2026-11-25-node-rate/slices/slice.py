"""slice.py SECONDS NODES OUT NAME|ENGINE|ENVIRONMENT|SCHEME|THREADS[|MATE] ...: searches of NODES nodes by all engines in
turns of 30 ms, the others stopped meanwhile, so that all see the same neighbours. OUT receives name, number of the
position, seconds of processor time, seconds of wall time. A MATE runs beside an engine: "engine" (a serial search of another
position), "spin" (a shell's empty loop) or "xor" (the arithmetic of bench/src/scaling/load.rs, as ./xorload)."""
import os, random, select, signal, subprocess, sys, time

TURN = 0.03
seconds, nodes, out = float(sys.argv[1]), int(sys.argv[2]), open(sys.argv[3], "a")
lines = open("../../2026-11-23-histories/p240.epd").read().splitlines()
positions = [" ".join(line.split()[:4]) + " 0 1" for line in lines]
positions = [positions[i * 37 % len(positions)] for i in range(len(positions))]


class Engine:
    def __init__(self, name, binary, environment, scheme, threads, mate=""):
        self.name, self.number, self.buffer = name, -1, b""
        env = os.environ | dict(item.split("=") for item in environment.split())
        pipes = dict(stdin=subprocess.PIPE, env=env, bufsize=0)
        self.process = subprocess.Popen([binary, "uci"], stdout=subprocess.PIPE, **pipes)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.send(f"setoption name Hash value 64\nsetoption name Threads value {threads}\nsetoption name Scheme value {scheme}\n")
        self.mates = []
        if mate == "engine":
            other = subprocess.Popen([binary, "uci"], stdout=subprocess.DEVNULL, **pipes)
            other.stdin.write(f"setoption name Hash value 64\nposition fen {positions[7]}\ngo infinite\n".encode())
            self.mates.append(other)
        elif mate:
            self.mates.append(subprocess.Popen({"spin": ["sh", "-c", "while :; do :; done"], "xor": ["./xorload"]}[mate]))
        self.next()
        self.signal(signal.SIGSTOP)

    def signal(self, number):
        for process in [self.process, *self.mates]:
            process.send_signal(number)

    def send(self, text):
        self.process.stdin.write(text.encode())

    def processor_time(self):
        tasks = f"/proc/{self.process.pid}/task"
        return sum(int(open(f"{tasks}/{task}/schedstat").read().split()[0]) for task in os.listdir(tasks)) / 1e9

    def next(self):
        self.number += 1
        self.send(f"ucinewgame\nposition fen {positions[self.number % len(positions)]}\nisready\n")
        while b"readyok" not in self.buffer:
            select.select([self.process.stdout], [], [])
            self.buffer += self.process.stdout.read() or b""
        self.buffer, self.wall, self.before = b"", 0.0, self.processor_time()
        self.send(f"go nodes {nodes}\n")

    def turn(self):
        began = time.perf_counter()
        self.signal(signal.SIGCONT)
        time.sleep(TURN)
        self.signal(signal.SIGSTOP)
        self.wall += time.perf_counter() - began
        self.buffer += self.process.stdout.read() or b""
        if b"bestmove" in self.buffer:
            print(self.name, self.number, f"{self.processor_time() - self.before:.6f} {self.wall:.6f}", file=out, flush=True)
            self.signal(signal.SIGCONT)
            self.next()
            self.signal(signal.SIGSTOP)


engines = [Engine(*argument.split("|")) for argument in sys.argv[4:]]
end = time.time() + seconds
while time.time() < end:
    random.shuffle(engines)
    for engine in engines:
        engine.turn()
for engine in engines:
    for process in [engine.process, *engine.mates]:
        process.kill()
