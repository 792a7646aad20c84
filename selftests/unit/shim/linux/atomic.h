/* SPDX-License-Identifier: GPL-2.0-only */
/* User-space stand-in: read-modify-write operations and barriers. */
#ifndef SHIM_LINUX_ATOMIC_H
#define SHIM_LINUX_ATOMIC_H
#include <linux/compiler.h>
#include <linux/types.h>

#define SHIM_ADD(p, n, o) ({ shim_yield(p, SHIM_RMW); __atomic_add_fetch(p, n, o); })
#define SHIM_XCHG(p, old, new) ({ shim_yield(p, SHIM_RMW);	\
	__atomic_compare_exchange_n(p, old, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED); })

#define try_cmpxchg(p, old, new) SHIM_XCHG(p, old, new)
#define cmpxchg(p, old, new) \
	({ __typeof__(*(p)) _old = (old); (void)SHIM_XCHG(p, &_old, new); _old; })

#define atomic_read(v)		 READ_ONCE((v)->counter)
#define atomic_read_acquire(v)	 smp_load_acquire(&(v)->counter)
#define atomic_set(v, i)	 WRITE_ONCE((v)->counter, i)
#define atomic_inc(v)		 ((void)SHIM_ADD(&(v)->counter, 1, __ATOMIC_RELAXED))
#define atomic_add(n, v)	 ((void)SHIM_ADD(&(v)->counter, n, __ATOMIC_RELAXED))
#define atomic_sub(n, v)	 ((void)SHIM_ADD(&(v)->counter, -(n), __ATOMIC_RELAXED))
#define atomic_sub_return_release(n, v) SHIM_ADD(&(v)->counter, -(n), __ATOMIC_RELEASE)
#define atomic_try_cmpxchg(v, old, new) SHIM_XCHG(&(v)->counter, old, new)
#define atomic_long_try_cmpxchg	 atomic_try_cmpxchg
#define atomic_long_read	 atomic_read
#define atomic_long_set		 atomic_set
#define atomic_long_inc		 atomic_inc
#define atomic_long_inc_return(v) SHIM_ADD(&(v)->counter, 1, __ATOMIC_SEQ_CST)
#define smp_mb__after_atomic()	 __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_acquire__after_ctrl_dep() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_rmb()		 __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()		 __atomic_thread_fence(__ATOMIC_RELEASE)
#endif
