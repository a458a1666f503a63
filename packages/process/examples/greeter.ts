import { defineOptions, type ProcessHost, runProcess } from '@flotilla/process';

const options = defineOptions({
  greeting: { type: 'string', default: 'Hello', description: 'What to say.' },
  every: { type: 'duration', default: '1m', min: '1s', description: 'How often to say it.' },
});

/** Logs a greeting again and again until SIGTERM. `--help`, the log, health, metrics and signals come with `runProcess`. */
export const runGreeter = (host?: ProcessHost) =>
  runProcess({
    name: 'greeter',
    version: '1.0.0',
    options,
    ...(host && { host }),
    async main({ options, clock, log, signal }) {
      while (!signal.aborted) {
        log.info(options.greeting);
        await clock.sleep(options.every, signal);
      }
    },
  });
