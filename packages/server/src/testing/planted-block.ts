/**
 * Loaded into a served process, with `--import`: checking an address with `planted-block` in it then
 * takes 300 ms of CPU, in the middle of whatever call it is in.
 */
const canParse = URL.canParse

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

URL.canParse = (url, base) => {
  if (String(url).includes('planted-block')) {
    const end = cpuMs() + 300
    while (cpuMs() < end);
  }
  return canParse.call(URL, url, base)
}
