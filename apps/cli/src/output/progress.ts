import type { Clock } from '@flotilla/kube';
import type { CliContext } from '../context.ts';

/** Shows what a command does and waits for: a spinner on a terminal, plain lines in a log. */
export interface Progress extends Disposable {
  /** What is waited for now. */
  update(text: string): void;
  /** What is being done now, on a terminal only: in a log the line about its end is enough. */
  busy(text: string): void;
  /** A line that stays. */
  done(text: string): void;
  /** Leaves the terminal to a question, until the next call. */
  pause(): void;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 80;

/** Progress on the context's standard error. */
export const startProgress = ({ err, clock }: Pick<CliContext, 'err' | 'clock'>): Progress =>
  err.isTTY ? spinner(err, clock) : lines(err, clock);

/** How often a log repeats what is still waited for. */
const repeatMs = 10_000;

/** A line when something new is waited for, and then now and then: a log should show that the command is alive, not fill up. */
function lines(err: CliContext['err'], clock: Clock): Progress {
  const written = new Map<string, number>();
  return {
    update(text) {
      const now = clock.monotonic();
      if (now - (written.get(text) ?? Number.NEGATIVE_INFINITY) < repeatMs) return;
      written.set(text, now);
      err.write(`${text}\n`);
    },
    busy() {},
    done: (text) => void err.write(`${text}\n`),
    pause() {},
    [Symbol.dispose]() {},
  };
}

const hideCursor = '\x1b[?25l';
/** For terminals whose cursor a spinner has hidden. */
export const showCursor = '\x1b[?25h';

/** One row of the terminal: a longer text would be wrapped, and only its last row would be drawn over. */
function fitting(text: string, columns = 80): string {
  const [line = ''] = text.split('\n');
  const letters = [...line];
  // The last column stays free: terminals wrap when it is written to.
  return letters.length < columns ? line : `${letters.slice(0, Math.max(0, columns - 2)).join('')}…`;
}

function spinner(err: CliContext['err'], clock: Clock): Progress {
  let text = '';
  let frame = 0;
  let cancel = () => {};
  const clear = () => err.write('\r\x1b[K');
  const draw = () => {
    clear();
    err.write(fitting(`${frames[frame % frames.length]} ${text}`, err.columns));
  };
  const turn = () => {
    frame += 1;
    draw();
    cancel = clock.schedule(frameMs, turn);
  };
  const update = (next: string) => {
    const idle = text === '';
    text = next;
    if (idle) {
      err.write(hideCursor);
      turn();
    } else draw();
  };
  const pause = () => {
    cancel();
    if (text === '') return;
    text = '';
    clear();
    err.write(showCursor);
  };
  return {
    update,
    busy: update,
    done(line) {
      clear();
      err.write(`${line}\n`);
      if (text !== '') draw();
    },
    pause,
    [Symbol.dispose]: pause,
  };
}
