"""Certificates for servers of tests that speak TLS, made by openssl."""

from __future__ import annotations

import subprocess
from pathlib import Path


def write_certificate(folder: Path, name: str, other_name: str) -> Path:
    """Write a certificate of two days and its key into one file of a folder, and return its path.

    Args:
        folder: where to write it.
        name: the common name.
        other_name: the alternative name that clients compare, such as ``DNS:site.example`` or ``IP:127.0.0.1``.
    """
    whole, key = folder / "whole.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-days", "2", "-subj", f"/CN={name}", "-addext", f"subjectAltName={other_name}"]
    subprocess.run([*command, "-keyout", str(key), "-out", str(whole)], check=True, capture_output=True)
    whole.write_text(whole.read_text() + key.read_text())
    return whole
