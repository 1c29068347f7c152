export { nativeEngine, portableEngine } from './patterns.ts'
