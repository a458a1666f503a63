import type { Image } from '@flotilla/process-node';
import { bundleOf, filesOf } from '../registration/program.ts';

/** Programs listen at the address of their pod: pods share the network of this machine. */
const program =
  (app: string): Image =>
  ({ args, podIP }) => {
    const bound = args.map((arg) => arg.replace('0.0.0.0', podIP));
    const serves = /^(webhook-server|grpc-server|placement-debug|cluster-proxy)$/.test(args[0] ?? '');
    return {
      command: process.execPath,
      args: [bundleOf(app), ...bound, ...(serves ? [`--bind-address=${podIP}`] : [])],
      files: filesOf(app),
    };
  };

/** What a process node runs for the images of a release, and for those of guides. */
export const ownImages = {
  'flotilla/operator': program('operator'),
  'flotilla/hub': program('hub'),
  'flotilla/agent': program('agent'),
  'flotilla/singleton': program('singleton'),
  busybox: ({ command, args }) => ({ command: '/bin/sh', args: [...command.slice(1), ...args] }),
} as const satisfies Readonly<Record<string, Image>>;
