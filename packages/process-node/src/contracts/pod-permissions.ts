/**
 * What pods may do although they can run other programs with it than those of their images. Nothing of it unless the node allows it:
 * whoever may create a pod would be the user of the node otherwise.
 */
export interface PodPermissions {
  /** Directories of this machine that volumes of the kind hostPath may show, with all that is below them. */
  readonly hostPaths?: readonly string[];
  /** Variables that choose which code a program loads, such as `NODE_OPTIONS`, `LD_PRELOAD` or `PATH`. */
  readonly variables?: readonly string[];
}
