import type { Container, Pod } from '@flotilla/kube/kinds';

/** A directory or file of a volume, as a container sees it. */
export interface ContainerMount {
  /** Where the container expects it: absolute. */
  readonly mountPath: string;
  /** Where it is on this machine. */
  readonly path: string;
  readonly readOnly: boolean;
}

/** The container that an image is to run. */
export interface ContainerContext {
  readonly pod: Pod;
  readonly container: Container;
  /** Programs listen here where pods share the network of the machine; with one of their own they may listen everywhere. */
  readonly podIP: string;
  readonly hostIP: string;
  /** `command` of the container, variables expanded; empty: the image's own entry point. */
  readonly command: readonly string[];
  /** `args` of the container, variables expanded. */
  readonly args: readonly string[];
  /** All variables of the container, those of the cluster included. */
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly ContainerMount[];
  /** `limits.memory` of the container, in bytes. */
  readonly memoryLimit?: number;
}

/** What is executed for a container. */
export interface ContainerCommand {
  /** A program on this machine. */
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the variables of the container. */
  readonly env?: Readonly<Record<string, string>>;
  /** Files and directories of this machine that the program consists of: no volume of the pod hides them. */
  readonly files?: readonly string[];
}

/** What an image is here: a function from a container to the program that runs it. May throw: the container then waits with the message. */
export type Image = (context: ContainerContext) => ContainerCommand;

/**
 * The images that a node has: by name, with a tag or digest or without (then any tag matches), or a function that finds them.
 * Others are reported as images that cannot be pulled.
 */
export type Images = Readonly<Record<string, Image>> | ((reference: string) => Image | undefined);

/** Finds the image of a reference such as `quay.io/example/hub:v1`. */
export function findImage(images: Images, reference: string): Image | undefined {
  if (typeof images === 'function') return images(reference);
  const [byReference] = [reference, repositoryOf(reference)].flatMap((name) =>
    Object.hasOwn(images, name) ? [images[name]] : [],
  );
  return byReference;
}

/** The names that a message shows to whoever asked for another image. */
export const imageNames = (images: Images): string =>
  typeof images === 'function' ? 'those that its caller finds' : Object.keys(images).sort().join(', ') || 'none';

/** Without tag and digest; a colon before a slash is that of a port. */
const repositoryOf = (reference: string): string => reference.replace(/@.*$/, '').replace(/:[^/:]*$/, '');
