import { dirname } from 'node:path';
import type { Image } from '@flotilla/process-node';
import { programNames } from './programs.ts';

/** Commands that serve at every address unless they are told one. */
const servers = /^(webhook-server|grpc-server|placement-debug|cluster-proxy)$/;

/** Runs a program of a release by this one. Pods share the network of the machine, so it listens at the address of its pod. */
const programImage =
  (script: string, name: string): Image =>
  ({ args, podIP }) => {
    const bound = args.map((arg) => arg.replace('0.0.0.0', podIP));
    const address = servers.test(args[0] ?? '') ? [`--bind-address=${podIP}`] : [];
    return {
      command: process.execPath,
      args: [script, 'program', name, ...bound, ...address],
      files: [process.execPath, dirname(script)],
    };
  };

/** The images that nodes of `up --operator` have: those of a release, and the shell of this machine by the name of a usual image. */
export const imagesOf = (script: string): Readonly<Record<string, Image>> => ({
  ...Object.fromEntries(programNames.map((name) => [`flotilla/${name}`, programImage(script, name)])),
  busybox: ({ command, args }) => ({ command: '/bin/sh', args: [...command.slice(1), ...args] }),
});
