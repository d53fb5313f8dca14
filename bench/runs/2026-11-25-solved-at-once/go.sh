cd ./study
date > times
../bin/head scaling --positions depths.epd --depths depths.epd --schemes ybw,abdada,lazy --threads 2 --repeats 3 --load --hash 64 --out real > real.txt 2> real.err
date >> times
