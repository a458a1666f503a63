/** For tests of add-ons: the manifests of one cluster without a hub. A whole fleet in the process is `@flotilla/fleet`. */

export { contextFor, type RenderInput, renderFor } from './render-for.ts';
