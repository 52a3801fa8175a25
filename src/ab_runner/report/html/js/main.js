// Puts the parts of the page together.

const charts = createCharts({
  data: JSON.parse(document.getElementById("data").textContent),
  shown: () => picker.shown(),
  picked: () => picker.picked(),
  showTooltip: createTooltip(),
});
const picker = createPicker({ onChange: charts.updateAll, onPoint: charts.pointAt });
const sorting = createSorting();
createTrials({ charts, sorting });
const theme = createTheme({ charts });

picker.apply();
theme.repaint();
const newer = document.getElementById("newer");
if (newer) follow({ newer, picker, sorting, theme });
