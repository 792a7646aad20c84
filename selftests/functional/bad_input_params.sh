#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source-path=SCRIPTDIR/..
# description: a wrong parameter value is refused with an errno and one line that names it
# requires: root debugfs module:allocsite
dir=$(dirname "$0"); [ -d "$dir/lib" ] || dir=$dir/..
. "$dir/lib/common.sh"

# refused ERRNO_TEXT LOG_ERE PARAM=VALUE...
refused()
{
	errno_text=$1
	log_ere=$2
	shift 2
	if insmod "$module" "$@" 2>"$tmp/error"; then
		rmmod allocsite
		fail "$*: accepted"
	fi
	grep -qi "$errno_text" "$tmp/error" || fail "$*: $(cat "$tmp/error"), expected $errno_text"
	new_log | grep -E "^allocsite: " | tail -n 1 >"$tmp/line"
	grep -Eq "$log_ere" "$tmp/line" || fail "$*: the log line is '$(cat "$tmp/line")', expected $log_ere"
	echo "$*: $(cat "$tmp/line")"
	[ ! -e $asite ] || fail "$*: refused, but $asite is there"
}

module=$(module_file allocsite)
refused 'invalid' 'probe.*banana|banana.*probe' probe=banana
refused 'invalid' 'probe' probe=
refused 'invalid' 'max_sites' max_sites=0
refused 'invalid\|memory' 'max_sites' max_sites=4000000000
refused 'memory\|invalid' 'live_mb|MiB|MB' live_mb=1000000
refused 'invalid' 'sample_bytes' sample_bytes=1073741825
refused 'invalid' 'sample_bytes' sample_bytes=4294967295
for value in 1 65 0 -3 banana ''; do
	refused 'invalid' 'stacks' "stacks=$value"
done
for value in context_records=0 context_records=65537 max_contexts=0 max_contexts=65; do
	refused 'invalid' "${value%=*}" $value
done
refused 'invalid' 'max_stacks' max_stacks=511
refused 'invalid' 'depot_mb' depot_mb=0
refused 'invalid' 'depot_mb' depot_mb=4097
refused 'space\|invalid' 'depot_mb' stacks=16 depot_mb=1 max_stacks=245248
refused 'space\|invalid' 'max_sites' stacks=16 max_sites=261888

# The kernel's own parser refuses what is no number, before the module runs.
for word in max_sites=many start=perhaps off_after=-1 loss_limit=1x live_mb=-5 sample_bytes=-1 \
	sample_bytes=4294967296 sample_bytes=64k; do
	if insmod "$module" "$word" 2>/dev/null; then
		fail "$word: accepted"
	fi
done
load_asite
