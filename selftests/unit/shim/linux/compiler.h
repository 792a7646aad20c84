/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in: marked accesses, each a yield point of the interleaver. */
#ifndef SHIM_LINUX_COMPILER_H
#define SHIM_LINUX_COMPILER_H

enum shim_kind { SHIM_READ, SHIM_WRITE, SHIM_RMW, SHIM_PERCPU };

#ifdef SHIM_INTERLEAVE
void shim_yield(const volatile void *addr, enum shim_kind kind);
#else
#define shim_yield(addr, kind) ((void)(addr))
#endif

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#undef __always_inline
#define __always_inline	inline __attribute__((__always_inline__))
#define __percpu
#define __printf(format, first) __attribute__((__format__(__printf__, format, first)))

#define SHIM_LOAD(p, o)	 ({ shim_yield(p, SHIM_READ); __atomic_load_n(p, o); })
#define SHIM_STORE(p, v, o) ({ shim_yield(p, SHIM_WRITE); __atomic_store_n(p, v, o); })

#define READ_ONCE(x)		 SHIM_LOAD(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v)	 SHIM_STORE(&(x), v, __ATOMIC_RELAXED)
/* Racy on purpose; acquire, as TSan does not see a fence that follows. */
#define data_race(x)		 SHIM_LOAD(&(x), __ATOMIC_ACQUIRE)
#define smp_load_acquire(p)	 SHIM_LOAD(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	 SHIM_STORE(p, v, __ATOMIC_RELEASE)
#endif
