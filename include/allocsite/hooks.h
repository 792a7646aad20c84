/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hook table: which events are hooked where, by which backend, and what is not
 * seen when a row is absent. A row is one tracepoint or one function.
 *
 * A backend knows how to attach to a row and hands over what it found there:
 * (caller, result, arguments) of a function, or a tracepoint's own arguments.
 * It knows nothing of counters. The family files (hook_slab.c) hold the rows
 * and the handlers that decode them.
 *
 * Lock: attach, detach and the state of rows are under asite_state_lock. Reports
 * read rows without it: for display, each field by itself is always valid.
 */
#ifndef ALLOCSITE_HOOKS_H
#define ALLOCSITE_HOOKS_H

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/types.h>

#define ASITE_HOOK_ARGS	6	/* leading arguments handed to a handler */

enum asite_backend {
	ASITE_BACKEND_NONE,
	ASITE_BACKEND_TRACEPOINT,
	ASITE_BACKEND_FTRACE,		/* entry only, shared */
	ASITE_BACKEND_DIRECT,		/* ftrace direct call-through, exclusive */
	ASITE_BACKEND_KPROBE,		/* entry only */
	ASITE_BACKEND_KRETPROBE,
	ASITE_BACKEND_COUNT,
};

enum asite_hook_state {
	ASITE_HOOK_OFF,		/* not attached because counting is off */
	ASITE_HOOK_UNUSED,	/* another row sees what this one would */
	ASITE_HOOK_ATTACHED,
	ASITE_HOOK_FAILED,	/* no backend could attach */
	ASITE_HOOK_STATE_COUNT,
};

/* What "probe=" asks for. */
enum asite_probe {
	ASITE_PROBE_AUTO,
	ASITE_PROBE_TRACEPOINT,
	ASITE_PROBE_FTRACE,
	ASITE_PROBE_KPROBE,
	ASITE_PROBE_COUNT,
};

/*
 * A function returned @result to @caller, whose return address stands (or stood, where a return
 * probe took its place) at @at on this stack; @args: its first six arguments.
 */
typedef void (*asite_on_result_t)(unsigned long caller, unsigned long result,
				  const unsigned long *args, unsigned long at);

/**
 * struct asite_hook_sampled - a row's functions in sampled mode
 * @tp_register: as in struct asite_hook, as the others
 * @tp_unregister: see there
 * @tramp: see there
 * @on_entry: see there
 * @on_result: see there
 */
struct asite_hook_sampled {
	int (*tp_register)(void);
	void (*tp_unregister)(void);
	void (*tramp)(void);
	void (*on_entry)(const unsigned long *args);
	asite_on_result_t on_result;
};

/**
 * struct asite_hook - a row of the hook table
 * @event: what happens here; rows of one event replace each other
 * @symbol: function, or tracepoint as "kmem:kfree"
 * @not_seen: the sentence shown when the row is absent
 * @address: the function; 0 for a tracepoint, and for one that was not found
 * @looked_up: set to @address at load, where the function is not exported
 * @look_up: find @address at load
 * @by_name: a backend that takes a name serves it: @address is not needed
 * @is_free: attach before, detach after the rows that allocate
 * @required: without it the counts would be wrong: do not turn on
 * @tp_register: attach the tracepoint
 * @tp_unregister: detach the tracepoint
 * @tramp: direct call-through trampoline, for rows that need the result
 * @on_entry: handler of a row that needs the arguments only
 * @on_result: handler of a row that needs the result
 * @sampled: takes the place of the five above at load, for sampled mode
 * @backend: who serves it
 * @state: see enum asite_hook_state
 * @err: why it failed, negative errno
 * @missed: events missed, as of the last detach
 * @why: why this backend
 * @direct: for ASITE_BACKEND_DIRECT, on kernels that want one for each trampoline
 * @kp: for ASITE_BACKEND_KPROBE
 * @rp: for ASITE_BACKEND_KRETPROBE
 */
struct asite_hook {
	const char *event;
	const char *symbol;
	const char *not_seen;
	unsigned long address;
	unsigned long *looked_up;
	bool look_up;
	bool by_name;
	bool is_free;
	bool required;
	int (*tp_register)(void);
	void (*tp_unregister)(void);
	void (*tramp)(void);
	void (*on_entry)(const unsigned long *args);
	asite_on_result_t on_result;
	struct asite_hook_sampled sampled;

	enum asite_backend backend;
	enum asite_hook_state state;
	int err;
	unsigned long missed;
	const char *why;
	struct ftrace_ops direct;
	struct kprobe kp;
	struct kretprobe rp;
};

/**
 * struct asite_backend_ops - one way to attach
 * @name: as shown in hooks
 * @attach: attach a row; 0 or a negative errno
 * @commit: the rows attached since the last commit shall see events; may be NULL
 * @detach: detach a row
 * @finish: no handler of a detached row runs any more on return; may be NULL
 * @missed: events that a row missed; NULL if it cannot miss any
 *
 * Context: task, may sleep, asite_state_lock held.
 */
struct asite_backend_ops {
	const char *name;
	int (*attach)(struct asite_hook *hook);
	int (*commit)(void);
	void (*detach)(struct asite_hook *hook);
	void (*finish)(void);
	unsigned long (*missed)(const struct asite_hook *hook);
};

extern const struct asite_backend_ops asite_backend_tracepoint;
extern const struct asite_backend_ops asite_backend_ftrace;
extern const struct asite_backend_ops asite_backend_direct;
extern const struct asite_backend_ops asite_backend_kprobe;
extern const struct asite_backend_ops asite_backend_kretprobe;

/**
 * asite_hooks_next() - go through the rows of all families that are followed
 * @hook: a row, or NULL for the first
 *
 * Context: any.
 * Return: the next, or NULL.
 */
struct asite_hook *asite_hooks_next(const struct asite_hook *hook);

/**
 * asite_hooks_set_probe() - choose the backend, check "avoid="
 * @name: auto, tracepoint, ftrace or kprobe
 *
 * Context: task.
 * Return: 0 or -EINVAL; the log names the choices then.
 */
int asite_hooks_set_probe(const char *name);

/**
 * asite_hooks_attach() - attach every row: frees first, then allocations
 *
 * Context: task, may sleep, asite_state_lock held.
 * Return: 0 or a negative errno; nothing is attached then, the log says why.
 */
int asite_hooks_attach(void);

/**
 * asite_hooks_detach() - detach every row: allocations first, then frees
 *
 * No handler runs and no task is inside a trampoline on return.
 *
 * Context: task, may sleep, asite_state_lock held.
 */
void asite_hooks_detach(void);

/**
 * asite_hooks_hear() - do the attached rows notice what happens?
 *
 * Context: task, may sleep; asite_state_lock held.
 * Return: false if not; the log names the event then.
 */
bool asite_hooks_hear(void);

/**
 * asite_hooks_stuck() - a hook could not be detached: this module must stay
 * @what: which
 * @err: why, negative errno
 *
 * Its text is still called. Nothing is attached any more after this, and the
 * module cannot be removed.
 *
 * Context: task.
 */
void asite_hooks_stuck(const char *what, int err);

/**
 * asite_hooks_are_stuck() - was asite_hooks_stuck() called?
 *
 * Context: task.
 * Return: true if the module must stay.
 */
bool asite_hooks_are_stuck(void);

/**
 * asite_backend_kprobe_check() - check the kprobe backend's parameters
 *
 * Context: task.
 * Return: 0 or -EINVAL; the log says why.
 */
int asite_backend_kprobe_check(void);

/**
 * asite_hooks_missed() - events that attached rows missed
 *
 * Context: task; a figure for display, no lock needed.
 * Return: events, since the rows were attached.
 */
unsigned long asite_hooks_missed(void);

/**
 * asite_hook_missed() - events one row missed
 * @hook: the row
 *
 * Context: task; a figure for display, no lock needed.
 * Return: events, since the row was attached.
 */
unsigned long asite_hook_missed(const struct asite_hook *hook);

/**
 * asite_hook_is_loss() - is something not seen because a row is absent?
 * @hook: the row
 *
 * A tracepoint that is absent is no loss: rows of functions see its event, or say
 * themselves that they do not.
 *
 * Context: task; for display, no lock needed.
 * Return: true if the row's sentence is true now.
 */
bool asite_hook_is_loss(const struct asite_hook *hook);

/**
 * asite_hook_backend_name() - a row's backend in reports
 * @hook: the row
 *
 * Return: a constant string.
 */
const char *asite_hook_backend_name(const struct asite_hook *hook);

/**
 * asite_hook_state_name() - a row's state in reports
 * @hook: the row
 *
 * Return: a constant string.
 */
const char *asite_hook_state_name(const struct asite_hook *hook);

/**
 * asite_probe_name() - what "probe=" chose
 *
 * Return: a constant string.
 */
const char *asite_probe_name(void);

#endif /* ALLOCSITE_HOOKS_H */
