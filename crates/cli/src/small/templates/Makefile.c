# `make` compiles, `make test` runs the tests, `make bench` measures.
FEHU = fehu
BACKEND = multicore

@NAME@: main.c @MODULE@.c
	$(CC) -O3 -o $@ $^ -lm -lpthread

@MODULE@.c: @NAME@.fut
	$(FEHU) $(BACKEND) --library -o @MODULE@ $<

.PHONY: test bench clean
test:
	$(FEHU) test --backend=$(BACKEND) @NAME@.fut

bench:
	$(FEHU) bench --backend=$(BACKEND) @NAME@.fut

clean:
	rm -f @NAME@ @MODULE@.c @MODULE@.h @MODULE@.json
