#!/usr/bin/env node
import { relative } from 'node:path';
import { createProject, ProjectError } from './create-project.ts';

const usage = `Usage: npm create flotilla-addon <directory>

Makes a project for an add-on, named like its directory: an add-on that deploys an agent, a test of what it renders, and a test on
a hub and clusters that run in the process of the test.

Example:
  $ npm create flotilla-addon my-addon
`;

const [path, ...others] = process.argv.slice(2);
if (path === '--help' || path === '-h') process.stdout.write(usage);
else if (path === undefined || path.startsWith('-') || others.length > 0) {
  process.stderr.write(`Error: name one directory\n\n${usage}`);
  process.exitCode = 2;
} else {
  try {
    const { name, directory, files } = await createProject(path);
    const place = relative(process.cwd(), directory) || '.';
    process.stdout.write(
      `Made the add-on ${name}: ${files.length} files in ${directory}\n\nNext:\n  cd ${place}\n  npm install\n  npm test\n`,
    );
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error;
    process.stderr.write(`Error: ${error.message}\n${error.hint}\n`);
    process.exitCode = 2;
  }
}
