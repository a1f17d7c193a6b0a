tallystick-io 1
io=direct
micros=117
ways=direct,channel,aio,uring
device=/dev/vdb1 write back vol-0d9f4c0e
filesystem=ext4
options=rw,relatime
directory=131073
machine=5c8d1f8e
kernel=Linux 6.8.0-45-generic amd64
jdk=Eclipse Adoptium 17.0.13+11
crc32c=cfd4fe71
