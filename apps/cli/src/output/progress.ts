import type { Clock } from '@flotilla/kube';
import type { CliContext } from '../context.ts';

/** Tells a waiting person what is going on: a spinner on a terminal, plain lines in a log. */
export interface Progress extends Disposable {
  /** What is waited for now. */
  update(text: string): void;
  /** A line that stays. */
  done(text: string): void;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 80;

/** Progress on the context's standard error. */
export const startProgress = ({ err, clock }: Pick<CliContext, 'err' | 'clock'>): Progress =>
  err.isTTY ? spinner(err, clock) : lines(err);

function lines(err: CliContext['err']): Progress {
  let last = '';
  return {
    update(text) {
      if (text !== last) err.write(`${text}\n`);
      last = text;
    },
    done: (text) => void err.write(`${text}\n`),
    [Symbol.dispose]() {},
  };
}

function spinner(err: CliContext['err'], clock: Clock): Progress {
  let text = '';
  let frame = 0;
  let cancel = () => {};
  const clear = () => err.write('\r\x1b[K');
  const draw = () => {
    clear();
    err.write(`${frames[frame % frames.length]} ${text}`);
  };
  const turn = () => {
    frame += 1;
    draw();
    cancel = clock.schedule(frameMs, turn);
  };
  return {
    update(next) {
      const idle = text === '';
      text = next;
      if (idle) turn();
      else draw();
    },
    done(line) {
      clear();
      err.write(`${line}\n`);
      if (text !== '') draw();
    },
    [Symbol.dispose]() {
      cancel();
      if (text !== '') clear();
    },
  };
}
