import { delimiter, isAbsolute } from 'node:path';

const standard = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Where containers look for programs, as the node itself does. What npm adds for the scripts of a package is not meant for them. */
export const programPath = (path = process.env.PATH ?? standard): string[] =>
  path.split(delimiter).filter((directory) => isAbsolute(directory) && !directory.includes('/node_modules/'));
