# A file system with one file, "disk", that writes down each write and each flush of it, through /dev/fuse without a library.
# Arguments: mount point, the file that holds the content, the file to write down to. It says "ready", and before it answers
# the event whose number it was last told on standard input it says "at NUMBER" and waits to be told the next.
# The record is a sequence of "W" offset(8) length(4) bytes, and "F" for a flush; numbers are little-endian.
use strict;
use warnings;
use Fcntl;

my ($mountPoint, $content, $record) = @ARGV;
my $size = -s $content;
sysopen(my $fuse, '/dev/fuse', O_RDWR) or die "/dev/fuse: $!";
sysopen(my $disk, $content, O_RDWR) or die "$content: $!";
sysopen(my $log, $record, O_WRONLY | O_CREAT | O_EXCL, 0600) or die "$record: $!";
my ($source, $type) = ('recording-disk', 'fuse');
my $options = 'fd=' . fileno($fuse) . ',rootmode=40000,user_id=0,group_id=0';
syscall(165, $source, $mountPoint, $type, 0, $options) == 0 or die "mount: $!"; # x86-64
$| = 1;
print "ready\n";
my ($events, $stop) = (0, int(<STDIN> // -1));

sub attributes {
    my ($node) = @_;
    my ($mode, $bytes) = $node == 1 ? (040700, 0) : (0100600, $size);
    return pack('Q<6L<10', $node, $bytes, $bytes / 512, 0, 0, 0, 0, 0, 0, $mode, 1, 0, 0, 0, 4096, 0);
}

sub answer {
    my ($unique, $error, $body) = @_;
    syswrite($fuse, pack('L<l<Q<', 16 + length($body), -$error, $unique) . $body);
}

sub happened {
    my ($what) = @_;
    syswrite($log, $what);
    if ($events == $stop) {
        print "at $events\n";
        $stop = int(<STDIN> // -1);
    }
    $events++;
}

while (sysread($fuse, my $request, 1 << 18)) {
    my (undef, $operation, $unique, $node) = unpack('L<L<Q<Q<', $request);
    my $body = substr($request, 40);
    if ($operation == 26) { # INIT
        answer($unique, 0, pack('L<4S<2L<2S<2L<8', 7, 31, 1 << 17, 1 << 5 | 1 << 22, 12, 9, 1 << 17, 1, 32, 0, (0) x 8));
    } elsif ($operation == 1) { # LOOKUP
        my $found = substr($body, 0, -1) eq 'disk';
        answer($unique, $found ? 0 : 2, $found ? pack('Q<4L<2', 2, 0, 3600, 3600, 0, 0) . attributes(2) : '');
    } elsif ($operation == 3 || $operation == 4) { # GETATTR, SETATTR
        answer($unique, 0, pack('Q<L<2', 3600, 0, 0) . attributes($node));
    } elsif ($operation == 14 || $operation == 27) { # OPEN, OPENDIR
        answer($unique, 0, pack('Q<L<2', 0, 0, 0));
    } elsif ($operation == 15) { # READ
        my (undef, $offset, $length) = unpack('Q<2L<', $body);
        sysseek($disk, $offset, 0);
        sysread($disk, my $bytes, $length);
        answer($unique, 0, $bytes);
    } elsif ($operation == 16) { # WRITE
        my (undef, $offset, $length) = unpack('Q<2L<', $body);
        my $bytes = substr($body, 40, $length);
        sysseek($disk, $offset, 0);
        syswrite($disk, $bytes);
        happened('W' . pack('Q<L<', $offset, $length) . $bytes);
        answer($unique, 0, pack('L<2', $length, 0));
    } elsif ($operation == 20) { # FSYNC
        happened('F');
        answer($unique, 0, '');
    } elsif ($operation == 17) { # STATFS
        answer($unique, 0, pack('Q<5L<10', $size / 4096, 0, 0, 2, 0, 4096, 255, 4096, (0) x 7));
    } elsif ($operation == 2 || $operation == 42 || $operation == 36) { # FORGET, BATCH_FORGET, INTERRUPT
        next;
    } elsif ($operation == 18 || $operation == 25 || $operation == 29 || $operation == 28 || $operation == 38 || $operation == 34) {
        answer($unique, 0, ''); # RELEASE, FLUSH, RELEASEDIR, READDIR, DESTROY, ACCESS
    } else {
        answer($unique, 38, ''); # ENOSYS
    }
}
