"""Which machines may be spoken to: those on the public internet, unless a person said otherwise."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Sequence

Resolve = Callable[[str, int], Sequence[str]]
"""Gives the addresses of a host, best first; raises ``OSError`` if there are none."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
# Taken for public by some versions of Python, or by all: what is reserved for protocols, where one cloud keeps its
# metadata (192.0.0.192); relays of 6to4; another cloud's agent (168.63.129.16); sites of old; examples.
_NOT_PUBLIC = tuple(
    map(
        ipaddress.ip_network,
        (
            *("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32"),
            *("64:ff9b:1::/48", "fec0::/10", "3fff::/20", "5f00::/16"),
        ),
    )
)
# In the second half of an IPv6 address: the IPv4 address that follows is where a tunnel of ISATAP leads.
_ISATAP = (0x00005EFE, 0x02005EFE)


def resolve(host: str, port: int) -> list[str]:
    """Return a host's addresses as the system gives them."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_public(text: str) -> bool:
    """Return whether an address is on the public internet, and not this machine, its network, or a part of either.

    An IPv4 address within an IPv6 one is judged as itself.
    """
    try:
        address: Address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    while isinstance(address, ipaddress.IPv6Address):
        inner = _inner(address)
        if inner is None:
            break
        address = inner
    if any(address in network for network in _NOT_PUBLIC):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def _inner(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if int(address) >> 32 & 0xFFFFFFFF in _ISATAP:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None)
