/** Whose program an image is: by that the first arguments of a container differ, and the paths of its probes. */
export type ImageFlavor = 'flotilla' | 'ocm';

const ocmImages = ['registration', 'work', 'registration-operator'];

/** OCM's images are known by the last part of their names; whoever mirrors them keeps it. All others are Flotilla's. */
export function flavorOf(image: string): ImageFlavor {
  const [repository = ''] = image.split('@');
  const last = repository.split('/').at(-1) ?? '';
  const [name = ''] = last.split(':');
  return ocmImages.includes(name) ? 'ocm' : 'flotilla';
}

/** The images that are run where a Klusterlet names none. */
export interface DefaultImages {
  readonly agent: string;
  readonly singleton: string;
  /** Has the command line of AWS, which OCM's agents run and their images do not have. Default: `defaultAwsCliImage`. */
  readonly awsCli?: string;
}

/** One version, so that an agent does not change because its pod was moved to another node. */
export const defaultAwsCliImage = 'amazon/aws-cli:2.27.50';
