import { open } from 'node:fs/promises';

/** More than enough for any tail. */
const windowBytes = 64 * 1024;

/** The last lines of a file; says so if there is nothing. */
export async function tailFile(path: string, lines: number): Promise<string> {
  try {
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    const length = Math.min(size, windowBytes);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const text = buffer.toString('utf8').trimEnd();
    return text === '' ? '(the log is empty)' : text.split('\n').slice(-lines).join('\n');
  } catch {
    return `(no log at ${path})`;
  }
}
