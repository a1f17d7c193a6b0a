// Nothing on this page needs a script: it only lets one store stand out in all charts.
document.addEventListener("mouseover", function (event) {
  var series = event.target.closest ? event.target.closest(".series[data-store]") : null;
  var store = series ? series.getAttribute("data-store") : null;
  document.body.classList.toggle("fading", store !== null);
  document.querySelectorAll(".series").forEach(function (each) {
    each.classList.toggle("shown", each.getAttribute("data-store") === store);
  });
});
