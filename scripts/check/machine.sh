#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# No file names a path or a package mirror of the machine it was written on.
set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/check/lib.sh

# Absolute paths start with a directory every system has, or one the guests have.
known='bin|boot|dev|etc|home|lib|lib64|media|mnt|opt|proc|root|run|sbin|srv|sys|tmp|usr|var'
guest='allocsite|build|share|vmrun|newroot'
paths=$(project_files | grep -vE '^(LICENSE|\..*)$' | xargs -r grep -nIoE \
	'(^|[[:blank:]=(,])["'\'']?/[a-z][a-z0-9_-]+/[A-Za-z0-9_.-]+' |
	grep -vE "[[:blank:]\"'=(:,]/($known|$guest)/")
verdict "no path of this machine" "$paths"

verdict "no one's home directory" \
	"$(project_files | xargs -r grep -nIE '/home/[a-z]')"

# The tree's own place and the names of package mirrors, where these are telling.
hosts=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* /etc/apt/apt.conf.d/* 2>/dev/null |
	grep -v '^[[:space:]]*#' | grep -oE 'https?://[^/ ":]+' | sed 's,.*//,,' |
	grep '\.' | grep -vE '^(127\.|localhost)' | sort -u)
# A place of one component, as in a container, is a word like others.
place=
case $top in
/*/*) place=$top/ ;;
esac
names=
for name in $hosts $place; do
	names="$names$(project_files | xargs -r grep -nIF -- "$name")"
done
verdict "no mirror's host name, no place of this tree" "$names"
finish
