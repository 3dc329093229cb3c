#!/usr/bin/env python3
"""The storage's suite against Ceph's S3 gateway, which verifies signatures: a monitor, an object store in memory and radosgw, all private
and on the loopback interface.

  tests/slow/radosgw.py --test build/asan/storage_test
"""

import argparse
import hashlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import uuid

BUCKET = "lade-test"
ACCESS, SECRET = "LADETESTACCESS", "lade/test+secret"

SETTINGS = """\
[global]
fsid = {fsid}
mon_initial_members = a
mon_host = [v2:127.0.0.1:{v2},v1:127.0.0.1:{v1}]
auth_cluster_required = cephx
auth_service_required = cephx
auth_client_required = cephx
keyring = {folder}/keyring
admin_socket = {folder}/$name.asok
run_dir = {folder}
log_file = {folder}/$name.log
pid_file =
mon_data = {folder}/mon
osd_data = {folder}/osd
osd_objectstore = memstore
memstore_device_bytes = 2147483648
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 4
osd_pool_default_pgp_num = 4
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_warn_on_pool_no_redundancy = false
osd_max_object_name_len = 256
osd_max_object_namespace_len = 64
[client.rgw]
rgw_frontends = beast endpoint=127.0.0.1:{rgw}
rgw_data = {folder}/rgw
rgw_thread_pool_size = 32
"""


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Ceph:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lade_ceph_", dir="/tmp"))
        self.processes = []
        self.port = free_port()
        self.settings = self.folder / "ceph.conf"
        self.fsid = str(uuid.uuid4())

    def run(self, *words):
        done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr[-2000:]}")
        return done.stdout

    def ceph(self, *words):
        return self.run("ceph", "-c", self.settings, "--connect-timeout", "60", *words)

    def daemon(self, *words):
        log = (self.folder / "daemons.out").open("ab")
        self.processes.append(subprocess.Popen([*map(str, words)], stdin=subprocess.DEVNULL, stdout=log, stderr=log))

    def start(self):
        folder = self.folder
        v1, v2 = free_port(), free_port()
        self.settings.write_text(SETTINGS.format(fsid=self.fsid, folder=folder, v1=v1, v2=v2, rgw=self.port))
        for name in ("mon", "osd", "rgw"):
            (folder / name).mkdir()
        keyring, monmap = folder / "keyring", folder / "monmap"
        self.run("ceph-authtool", "--create-keyring", keyring, "--gen-key", "-n", "mon.", "--cap", "mon", "allow *")
        self.run("ceph-authtool", keyring, "--gen-key", "-n", "client.admin", "--cap", "mon", "allow *", "--cap", "osd", "allow *")
        self.run("ceph-authtool", keyring, "--gen-key", "-n", "client.rgw", "--cap", "mon", "allow rwx", "--cap", "osd", "allow rwx")
        self.run("monmaptool", "--create", "--addv", "a", f"[v2:127.0.0.1:{v2},v1:127.0.0.1:{v1}]", "--fsid", self.fsid, monmap)
        self.run("ceph-mon", "-c", self.settings, "--mkfs", "-i", "a", "--monmap", monmap, "--keyring", keyring)
        self.daemon("ceph-mon", "-c", self.settings, "-f", "-i", "a")
        self.start_osd(keyring)
        self.daemon("radosgw", "-c", self.settings, "-f", "-n", "client.rgw", "--keyring", keyring)
        self.wait_for_gateway()
        self.run("radosgw-admin", "-c", self.settings, "-n", "client.rgw", "user", "create", "--uid", "lade", "--display-name", "lade",
                 "--access-key", ACCESS, "--secret-key", SECRET)

    def start_osd(self, keyring):
        number = str(uuid.uuid4())
        self.ceph("osd", "new", number)
        key = self.ceph("auth", "get-or-create", "osd.0", "mon", "allow profile osd", "osd", "allow *")
        with keyring.open("a") as file:
            file.write(key)
        (self.folder / "osd" / "keyring").write_text(key)
        self.run("ceph-osd", "-c", self.settings, "-i", "0", "--mkfs", "--osd-uuid", number)
        self.daemon("ceph-osd", "-c", self.settings, "-f", "-i", "0")

    def wait_for_gateway(self):
        end = time.monotonic() + 120
        while time.monotonic() < end:
            if any(process.poll() is not None for process in self.processes):
                raise SystemExit("a daemon has ended:\n" + self.log())
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.2)
        raise SystemExit("radosgw does not listen:\n" + self.log())

    def log(self):
        return "".join(path.read_text(errors="replace")[-2000:] for path in self.folder.glob("*.log"))

    def stop(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def make_bucket(endpoint):
    """With a signature that is not lade's own."""
    done = subprocess.run(["curl", "-sS", "--fail-with-body", "-X", "PUT", "--aws-sigv4", "aws:amz:us-east-1:s3",
                           "-H", f"x-amz-content-sha256: {hashlib.sha256(b'').hexdigest()}", "--config", "-", f"{endpoint}/{BUCKET}"],
                          input=f'user = "{ACCESS}:{SECRET}"\n', capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise SystemExit(f"the bucket could not be made: {done.stdout} {done.stderr}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--test", required=True, help="storage_test")
    arguments, more = parser.parse_known_args()
    began = time.monotonic()
    ceph = Ceph()
    try:
        ceph.start()
        endpoint = f"http://127.0.0.1:{ceph.port}"
        make_bucket(endpoint)
        print(f"radosgw is up after {time.monotonic() - began:.0f} s", flush=True)
        environment = os.environ | {"LADE_TEST_S3": endpoint, "LADE_TEST_S3_ACCESS": ACCESS, "LADE_TEST_S3_SECRET": SECRET}
        code = subprocess.run([arguments.test, "--gtest_filter=S3ClientTest.*:BucketTest.*:*StorageTest.*/bucket", *more], env=environment,
                              check=False).returncode
    finally:
        ceph.stop()
    sys.exit(code)


if __name__ == "__main__":
    main()
