/**
 * Loaded into a served process, with `--import`: parsing an address with `planted-block` in it then
 * takes 300 ms of CPU, in the middle of whatever call it is in.
 */
const parse = URL.parse

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

URL.parse = (url, base) => {
  if (String(url).includes('planted-block')) {
    const end = cpuMs() + 300
    while (cpuMs() < end);
  }
  return parse.call(URL, url, base)
}
