// SPDX-License-Identifier: GPL-2.0-only
/*
 * leak_frag: a leak as one meets it: a network driver takes its receive
 * buffers from page fragments and forgets the buffer of each packet that it
 * drops. One lost fragment of 2 KiB keeps its whole block of order 3. Slab
 * tools show nothing of it.
 *
 * The device asiteleak0 receives what it sends; every 8th packet counts as
 * damaged. Like a driver it gives its cache of fragments back when it goes
 * down. Transmission runs with bottom halves off, under the lock of the only
 * queue, which covers everything here. Invariant: every buffer lost is on
 * lost_list, so that the machine gets them back when the module goes.
 */
#include <linux/etherdevice.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>

#include "wrap_compat.h"

#define BUFFER_BYTES	2048
#define BUFFER_HEADROOM	(NET_SKB_PAD + NET_IP_ALIGN)
#define DAMAGED_EVERY	8

static struct net_device *leak_dev;
static struct page_frag_cache leak_cache;

/* What the driver would not know if the leak were real. */
static LIST_HEAD(lost_list);
static struct page *lost_last;
static unsigned int lost_buffers;
module_param(lost_buffers, uint, 0444);
MODULE_PARM_DESC(lost_buffers, "buffers leaked so far");
static unsigned int lost_blocks;
module_param(lost_blocks, uint, 0444);
MODULE_PARM_DESC(lost_blocks, "blocks of order 3 that these keep");

static noinline __noclone void *leak_frag_rx_buffer(void)
{
	void *data = page_frag_alloc(&leak_cache, BUFFER_BYTES, GFP_ATOMIC);

	barrier();
	return data;
}

/* A block's fragments come one after the other, so a new page is a new block. */
static void lose_buffer(void *data)
{
	struct list_head *node = data;
	struct page *page = virt_to_head_page(data);

	list_add(node, &lost_list);
	lost_buffers++;
	if (page != lost_last)
		lost_blocks++;
	lost_last = page;
}

static void receive_packet(const struct sk_buff *sent)
{
	void *data = leak_frag_rx_buffer();
	struct sk_buff *skb;

	if (!data)
		return;
	if (++leak_dev->stats.rx_packets % DAMAGED_EVERY == 0) {
		/* "Bad checksum": drops the packet without page_frag_free(). */
		leak_dev->stats.rx_crc_errors++;
		lose_buffer(data);
		return;
	}
	skb = build_skb(data, BUFFER_BYTES);
	if (!skb) {
		page_frag_free(data);
		return;
	}
	skb_reserve(skb, BUFFER_HEADROOM);
	skb_copy_bits(sent, 0, skb_put(skb, sent->len), sent->len);
	skb->protocol = eth_type_trans(skb, leak_dev);
	netif_rx(skb);
}

static netdev_tx_t leak_xmit(struct sk_buff *skb, struct net_device *dev)
{
	if (BUFFER_HEADROOM + skb->len <= SKB_WITH_OVERHEAD(BUFFER_BYTES))
		receive_packet(skb);
	dev->stats.tx_packets++;
	dev_kfree_skb(skb);
	return NETDEV_TX_OK;
}

static int leak_stop(struct net_device *dev)
{
	asite_k_page_frag_cache_drain(&leak_cache);
	return 0;
}

static const struct net_device_ops leak_ops = {
	.ndo_start_xmit = leak_xmit,
	.ndo_stop = leak_stop,
};

static void leak_setup(struct net_device *dev)
{
	ether_setup(dev);
	eth_hw_addr_random(dev);
	dev->netdev_ops = &leak_ops;
	dev->flags |= IFF_NOARP;
	dev->priv_flags |= IFF_NO_QUEUE;
}

static int __init leak_frag_init(void)
{
	int err;

	leak_dev = alloc_netdev(0, "asiteleak%d", NET_NAME_ENUM, leak_setup);
	if (!leak_dev)
		return -ENOMEM;
	err = register_netdev(leak_dev);
	if (err)
		free_netdev(leak_dev);
	return err;
}

static void __exit leak_frag_exit(void)
{
	struct list_head *node, *next;

	unregister_netdev(leak_dev);
	free_netdev(leak_dev);
	list_for_each_safe(node, next, &lost_list)
		page_frag_free(node);
}

module_init(leak_frag_init);
module_exit(leak_frag_exit);
MODULE_DESCRIPTION("Leaks fragments of order-3 pages on receive");
MODULE_LICENSE("GPL");
