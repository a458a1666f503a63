import { expect, it } from 'vitest';
import { type ContainerContext, findImage, type Image } from './image.ts';
import { nodeProgram } from './node-program.ts';

const image: Image = () => ({ command: 'true' });

it.each([
  ['by its whole reference', { 'quay.io/a/b:v1': image }, 'quay.io/a/b:v1', true],
  ['by its name, whatever the tag', { 'quay.io/a/b': image }, 'quay.io/a/b:v2', true],
  ['by its name, whatever the digest', { 'quay.io/a/b': image }, 'quay.io/a/b@sha256:00', true],
  ['on a registry with a port', { 'localhost:5000/b': image }, 'localhost:5000/b', true],
  ['not by another tag', { 'quay.io/a/b:v1': image }, 'quay.io/a/b:v2', false],
  ['not by what every object has', {}, 'constructor', false],
])('finds an image %s', (_how, images, reference, isFound) => {
  expect(findImage(images, reference) === image).toBe(isFound);
});

it('runs a Node program with a heap within the limit, and the arguments of the container', () => {
  const context = {
    command: ['/hub', 'controller'],
    args: ['--v=2'],
    podIP: '127.64.0.2',
    memoryLimit: 64 * 2 ** 20,
  } as unknown as ContainerContext;
  const run = nodeProgram('/opt/hub.js', { args: ({ podIP }) => [`--listen=${podIP}:8443`] });
  expect(run(context).args).toEqual([
    '--max-old-space-size=48',
    '/opt/hub.js',
    '--listen=127.64.0.2:8443',
    'controller',
    '--v=2',
  ]);
});
