#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The benchmark's reports and verdicts, on figures made up for it: good ones pass, and each kind of
# bad one fails with its own words.
set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/check/lib.sh

bench=selftests/bench
out=$results/bench

have_tool "bench verdicts" python3 || finish

# boot KERNEL NONE CONTENDER=ADDED...: what a guest leaves, for loops of 10 pairs.
boot()
{
	kernel=$1 base=$2
	shift 2
	echo "boot $kernel "
	for word in "$@"; do
		for loop in kmalloc_64 kmalloc_8_to_240 cache_192 kmalloc_64_random_1000 page_order_0; do
			ticks=$((base + 10 * ${word#*=}))
			echo "micro ${word%=*} $loop 10 3 1 $ticks $ticks $ticks 1 1 1"
		done
	done
}

# write: a run of both pairs and of three stock kernels, all promises kept.
write()
{
	rm -rf "$out"
	mkdir "$out" || exit 1
	for series in 6.12 7.3; do
		boot "$series-untagged" 1700 none=0 off=0 off_again=0 auto=79 sampling=44 stacks=480 \
			stacks_pages=700 none_again=0 >"$out/$series-u"
		boot "$series-untagged page_owner=on" 1700 page_owner=15000 >"$out/$series-o"
		boot "$series-tagged" 1700 tagged_off=15 tagged_on=160 >"$out/$series-t"
	done
	for series in 6.1 6.12 7.3; do
		boot "$series" 1800 none=0 off=0 off_again=0 auto=80 none_again=0 >"$out/$series"
	done
	echo "absent sampling no such parameter" >>"$out/6.1"
}

# judge NAME STATUS REGEX: what verdict.py must end with and say of the raw files.
judge()
{
	if ! $bench/report.py "$out"/[67]* >"$out/tsv" 2>"$out/err" ||
		! $bench/table.py "$out/tsv" >"$out/md" 2>>"$out/err" ||
		! $bench/plot.py "$out/tsv" >"$out/svg" 2>>"$out/err"; then
		not_ok "$1" "a report failed: $(cat "$out/err")"
		return
	fi
	$bench/verdict.py "$out/tsv" 2>"$out/verdict"
	status=$?
	[ "$status" = "$2" ] && grep -qE "$3" "$out/verdict"
	case $? in
	0) ok "$1" ;;
	*) not_ok "$1" "expected status $2 and /$3/, got $status and: $(cat "$out/verdict")" ;;
	esac
}

# change FILE SED: break one thing.
change()
{
	write
	sed -i "$2" "$out/$1"
	! boot_is_same "$1" || not_ok "change $1" "'$2' changed nothing"
}

boot_is_same()
{
	cp "$out/$1" "$results/changed"
	write
	cmp -s "$out/$1" "$results/changed"
	same=$?
	cp "$results/changed" "$out/$1"
	return "$same"
}

write
judge "bench: all kept" 0 'pass: 7.3: auto adds 79.0 to kmalloc_64, 0.494'
verdict "bench: what is absent is in the table" \
	"$(grep -q 'sampling: no such parameter' "$out/md" || echo "not in the Markdown table")"
cp "$out/tsv" "$results/first"
verdict "bench: a run agrees with itself" "$($bench/compare.py "$results/first" "$out/tsv" >"$out/differs" ||
	cat "$out/differs")"
sed 's/2490\t2490\t2490/2490\t2491\t2491/' "$out/tsv" >"$results/second"
verdict "bench: a run that differs by one instruction does not agree" \
	"$($bench/compare.py "$results/first" "$results/second" >"$out/differs" && cat "$out/differs")"
many='micro\tkmalloc_64_random_1000\t.*\t1700\t1700'
sed "s/^\(6.12-untagged\toff\t$many\)\t1700/\1\t1701/" "$out/tsv" >"$results/second"
verdict "bench: the same with many objects and no module" \
	"$($bench/compare.py "$results/first" "$results/second" >"$out/differs" && cat "$out/differs")"
sed -i "s/^\(6.12-untagged\tnone_again\t$many\)\t1700/\1\t1701/" "$results/second"
verdict "bench: many objects, no module not the same twice: a run may differ" \
	"$($bench/compare.py "$results/first" "$results/second" >"$out/differs" || cat "$out/differs")"
change 6.12-u '/off cache_192/s/1700 1 1 1$/1701 1 1 1/'
judge "bench: one instruction more in a pass of off" 1 'FAIL: 6.12-untagged: off .*cache_192 by 0 to 1'
change 6.12-u 's/^\(micro off kmalloc_64_random_1000 .*1700\) 1700 1 1 1$/\1 1701 1 1 1/'
judge "bench: the same with many objects" 1 'FAIL: 6.12-untagged: off .*random_1000 by 0 to 1'
change 6.12-u 's/^\(micro none kmalloc_64_random_1000 .*1700\) 1700 1 1 1$/\1 1701 1 1 1/'
judge "bench: many objects, no module not the same twice" 0 'not judged: 6.12-untagged: off with many'
change 6.12-u 's/^\(micro none cache_192 .*1700\) 1700 1 1 1$/\1 1701 1 1 1/'
judge "bench: one object, no module not the same twice" 1 'FAIL: 6.12-untagged: none .*cache_192 by 0 to 1'
change 6.12-u 's/^micro none_again/gone/'
judge "bench: none_again missing" 1 'FAIL: 6.12-untagged: none_again was not measured'
change 6.12-u '/auto kmalloc_8_to/s/2490/2910/g'
judge "bench: above 0.75 on 6.12" 1 'FAIL: 6.12: auto adds 121.0 to kmalloc_8_to_240, 0.756'
change 6.12-u '/sampling kmalloc_64/s/2140/2430/g'
judge "bench: sampling above 0.45 on 6.12" 1 'FAIL: 6.12: sampling adds 73.0 to kmalloc_64, 0.456'
change 6.12-u '/stacks cache_192/s/6500/7310/g'
judge "bench: stacks above 3.5" 1 'FAIL: 6.12: stacks adds 561.0 to cache_192, 3.506'
change 7.3-u '/stacks_pages page_order_0/s/8700/11710/g'
judge "bench: stacks of pages above a fifteenth" 1 'FAIL: 7.3: stacks_pages adds 1001.0 to page_order_0, 0.067'
change 6.12-o 's/^micro page_owner/gone/'
judge "bench: no page_owner to compare with" 1 'FAIL: 6.12: no page_owner'
change 7.3-u '/auto cache_192/s/2490/2510/g'
judge "bench: above 0.5 on 7.3" 1 'FAIL: 7.3: auto adds 81.0 to cache_192, 0.506'
change 7.3-t 's/^micro tagged_on/gone/'
judge "bench: no code tagging to compare with" 1 'FAIL: 7.3: no ratio of auto'
change 7.3 '/auto kmalloc_64/s/2600/2710/g'
judge "bench: a stock kernel 15.2% above" 1 'FAIL: 7.3: auto adds 91.0 to kmalloc_64, [+]15.2%'
change 6.1 '/auto kmalloc_64/s/2600/2660/g'
judge "bench: 86 on stock 6.1" 1 'FAIL: 6.1: auto adds 86.0 to kmalloc_64 .limit 85'
finish
