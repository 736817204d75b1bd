import { spawn } from 'node:child_process';

/** Node cannot set the receive buffer of a TCP socket. Perl can, and is part of every Debian. */
const PROGRAM = `
use Socket;
my ($port, $most) = @ARGV;
socket(my $socket, PF_INET, SOCK_STREAM, 0) or die $!;
setsockopt($socket, SOL_SOCKET, SO_RCVBUF, pack('i', 1024)) or die $!;
connect($socket, sockaddr_in($port, inet_aton('127.0.0.1'))) or die $!;
syswrite($socket, do { local $/; <STDIN> });
for (my $read = 0; $read < $most; ) {
  my $count = sysread($socket, my $bytes, 512) or last;
  $read += $count;
  print $bytes;
}
setsockopt($socket, SOL_SOCKET, SO_LINGER, pack('ii', 1, 0)) or die $!;
close($socket);
`;

/** Sends a request, reads so many bytes through a window of a kilobyte, resets the connection, and returns what it has read. */
export function readThroughTinyWindow(url: string, request: string, bytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const perl = spawn('perl', ['-e', PROGRAM, new URL(url).port, String(bytes)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const chunks: Buffer[] = [];
    perl.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    perl.once('error', reject).once('close', () => resolve(Buffer.concat(chunks).toString()));
    perl.stdin.end(request);
  });
}
